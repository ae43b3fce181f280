"""What pandas calls the dtype of text: "str" from 3 on, and "object" before."""

import pandas as pd

TEXT = str(pd.Series(dtype="str").dtype)
