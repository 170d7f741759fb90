/** An encrypted record begins with it; no envelope does, nor any other text in UTF-8. */
export const SEALED_MARK = 0xfe
