"""Generates QR Codes in one call: `generate`, batches of images, contact sheets and print sizes."""
