"""The parts of a drawing: modules, markers, layers, photographs, and the sheet they lie on."""
