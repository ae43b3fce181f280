"""Contents that ask for money: transfers, bills, wallets; and the numbers of accounts."""
