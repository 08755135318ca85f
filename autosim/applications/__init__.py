"""The programs behind the commands: where the parts are put together."""
