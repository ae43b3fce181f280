"""Keys, accounts, the brand, the settings of a store and its backup."""
