"""Who asks: addresses behind proxies, hosts, and each client's share of the server."""
