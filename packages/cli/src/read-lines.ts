const LINE_FEED = 0x0a

/**
 * The lines of a stream of bytes, without their line feeds; what stands behind the last one is a line too, unless it is
 * nothing. Only a line feed ends a line, as texts in JSON may hold every other character that could.
 */
export async function* readLines(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // A long line comes in many pieces, which are put together once.
  let pieces: Buffer[] = []
  for await (const chunk of input) {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...pieces, chunk.subarray(start, end)])
      pieces = []
      start = end + 1
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start))
  }
  if (pieces.length > 0) yield Buffer.concat(pieces)
}
