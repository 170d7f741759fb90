import { KeepsakeError } from '@keepsake/core'

/** The skips of a suite, after a check that each names a case or a topic and gives a reason. Throws `invalid_value`. */
export function checkedSkips(
  cases: readonly { readonly name: string; readonly topic: string }[],
  skip: Readonly<Record<string, string>>,
): Map<string, string> {
  const known = new Set(cases.flatMap(({ name, topic }) => [name, topic]))
  for (const [what, reason] of Object.entries(skip)) {
    if (!known.has(what)) {
      throw new KeepsakeError('invalid_value', `skip names ${JSON.stringify(what)}, which is no case and no topic.`)
    }
    if (typeof reason !== 'string' || reason.trim() === '') {
      throw new KeepsakeError('invalid_value', `skip of ${JSON.stringify(what)} needs a reason: say why in words.`)
    }
  }
  return new Map(Object.entries(skip))
}
