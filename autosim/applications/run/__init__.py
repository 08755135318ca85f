"""Commands that run the product: server, client, demo, new project."""
