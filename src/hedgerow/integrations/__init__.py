"""hedgerow's models in the manner of other libraries. Each module here needs the library that it is named after."""
