"""The browser of a portfolio: tracked codes are found and edited."""
