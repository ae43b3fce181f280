"""The console: the studio, the portfolio browser and the dashboard in a browser window, without a notebook.

A server of Voila shows one page; the Python process behind each open page works with the store through the server's
process, which has the file open. `gate.py` decides which requests reach Voila.
"""
