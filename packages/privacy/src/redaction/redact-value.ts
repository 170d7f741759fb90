import type { Storable } from '@keepsake/core'

/** A copy of the value with every text changed, names of fields too; the same value where none was. */
export function mapTexts(value: Storable, change: (text: string) => string): Storable {
  if (typeof value === 'string') return change(value)
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value
  if (Array.isArray(value)) {
    const mapped = value.map((item) => mapTexts(item, change))
    return mapped.every((item, i) => item === value[i]) ? value : mapped
  }
  const entries = Object.entries(value)
  const mapped: Record<string, Storable> = Object.create(null)
  const numbers = new Map<string, number>()
  let changed = false
  for (const [name, item] of entries) {
    const newItem = mapTexts(item, change)
    // Two names may become one: the later is told apart, so that nothing is lost. A value may be a list by addresses, so
    // counting goes on where it stopped.
    const wanted = change(name)
    let newName = wanted
    if (wanted !== name) {
      let n = numbers.get(wanted) ?? 1
      while (newName in mapped || Object.hasOwn(value, newName)) newName = `${wanted} (${++n})`
      numbers.set(wanted, n)
    }
    changed ||= newName !== name || newItem !== item
    mapped[newName] = newItem
  }
  return changed ? { ...mapped } : value
}

/** Every text of a value, names of fields too. */
export function* textsOf(value: Storable): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item)
  else if (value !== null && typeof value === 'object' && !(value instanceof Uint8Array)) {
    for (const [name, item] of Object.entries(value)) {
      yield name
      yield* textsOf(item)
    }
  }
}
