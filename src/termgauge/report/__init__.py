"""What people look at: tables on a terminal, and the pages and files made from results."""
