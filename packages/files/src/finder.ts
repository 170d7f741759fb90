/** Where a text is found, from a position on; -1 if nowhere. */
export type Find = (text: string, from: number) => number

/** What is shorter is looked for faster by the machine, and its worst case is bounded by its length. */
const SHORT = 16

/**
 * Finds a text in time proportional to the one it is looked for in, whatever both are. `indexOf` takes that times the
 * length of what it looks for: seconds for `aaa…b…aaa` in 2 MiB of `a`. This is the search of Knuth, Morris and Pratt.
 */
export function finder(wanted: string): Find {
  if (wanted.length <= SHORT) return (text, from) => text.indexOf(wanted, from)
  let borders: Uint32Array | undefined
  return (text, from) => {
    // Most texts do not hold even the beginning.
    const first = text.indexOf(wanted.slice(0, SHORT), from)
    if (first === -1) return -1
    borders ??= bordersOf(wanted)
    let matched = 0
    for (let at = first; at < text.length; at++) {
      while (matched > 0 && text[at] !== wanted[matched]) matched = borders[matched - 1]!
      if (text[at] === wanted[matched]) matched++
      if (matched === wanted.length) return at + 1 - matched
    }
    return -1
  }
}

/** For each beginning of a text, the length of its longest proper beginning that is also its end. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length)
  let length = 0
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text[at] !== text[length]) length = borders[length - 1]!
    if (text[at] === text[length]) length++
    borders[at] = length
  }
  return borders
}
