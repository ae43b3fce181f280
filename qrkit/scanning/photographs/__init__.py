"""Tells what a photo says about the print that it shows, and reads photos that readers cannot.

Each step has its own file:

    drawings        what is no photo
    close_up        the part of a photo with the symbol, in linear light
    straightening   the photo without perspective and bends of the paper
    evening         light, blur and what they leave unexplained
    photo_measures  what the print does, and what the photo does
    photo_grade     the answer
    photo_words     the answer in sentences
    print_check     a photo compared with the design that was printed
    second_attempt  symbols that a reader finds but cannot correct
"""
