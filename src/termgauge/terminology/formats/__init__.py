"""The formats that terminologies come in, a module each."""
