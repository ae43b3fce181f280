"""Records: QR Codes and their short codes, names and IDs, accounts, campaigns, templates."""
