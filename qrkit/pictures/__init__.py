"""The whole chain in one call: `generate`, batches of pictures, contact sheets, sizes on paper."""
