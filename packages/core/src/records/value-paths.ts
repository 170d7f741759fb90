/** What is at a path in a value. Own properties only: a path such as `constructor` is a missing path; none lead into bytes. */
export function resolvePath(value: unknown, path: readonly string[]): unknown {
  let current = value
  for (const name of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined
    if (current instanceof Uint8Array) return undefined
    if (Array.isArray(current) && !/^\d+$/.test(name)) return undefined
    current = (current as Record<string, unknown>)[name]
  }
  return current
}
