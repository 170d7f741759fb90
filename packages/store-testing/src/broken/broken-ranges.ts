import { compareUtf8, type RowStore } from '@keepsake/core'
import { breaksMethod, breaksRule, type BrokenStore } from './broken-store.ts'
import { copyRow } from './ruled-store.ts'

const byUtf16 = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const folded = (a: string, b: string): number => byUtf16(a.toLowerCase(), b.toLowerCase()) || byUtf16(a, b)

/** `prefix` as the beginning of a pattern in which `wildcards` have a meaning. */
function matches(text: string, prefix: string, wildcards: Record<string, string>, flags: string): boolean {
  const pattern = Array.from(prefix, (c) => wildcards[c] ?? c.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&'))
  return new RegExp(`^${pattern.join('')}`, flags).test(text)
}

export const brokenRanges: readonly BrokenStore[] = [
  breaksRule('orders by UTF-16', 'key "\\u{FFFF}" comes before "\\u{10000}"', {
    compare: byUtf16,
    isAfter: (text, after) => byUtf16(text, after) > 0,
  }),
  breaksRule('orders entities and keys without case', 'key "Z" comes before "_"', {
    compare: folded,
    isAfter: (text, after) => folded(text, after) > 0,
  }),
  breaksRule('orders numbers by value', 'key "10" comes before "2"', {
    compare: (a, b) => Number(a) - Number(b) || byUtf16(a, b),
  }),
  breaksRule(
    'pages by UTF-16, though it orders by UTF-8',
    'a cursor at any key continues with the next one in UTF-8 order',
    {
      isAfter: (text, after) => byUtf16(text, after) > 0,
    },
  ),
  breaksRule('% is a wildcard in prefixes', 'prefix "%" is no pattern: it does not find "a"', {
    hasPrefix: (text, prefix) => matches(text, prefix, { '%': '.*' }, 'su'),
  }),
  breaksRule('_ is a wildcard in prefixes', 'prefix "_" is no pattern: it does not find "a"', {
    hasPrefix: (text, prefix) => matches(text, prefix, { _: '.' }, 'su'),
  }),
  breaksRule('* and ? are wildcards in prefixes', 'prefix "*" is no pattern: it does not find "a"', {
    hasPrefix: (text, prefix) => matches(text, prefix, { '*': '.*', '?': '.' }, 'su'),
  }),
  breaksRule('prefixes ignore case', 'prefix "a" is no pattern: it does not find "A"', {
    hasPrefix: (text, prefix) => matches(text, prefix, {}, 'siu'),
  }),
  breaksRule('a backslash in a prefix escapes', 'prefix "\\\\%" is no pattern: it does not find "%"', {
    hasPrefix: (text, prefix) => text.startsWith(prefix.replace(/\\(.)/gu, '$1')),
  }),
  breaksRule('a prefix finds half a segment', 'a prefix of whole segments does not find half a segment', {
    hasPrefix: (text, prefix) => text.startsWith(prefix.endsWith('\u0001') ? prefix.slice(0, -1) : prefix),
  }),
  breaksRule('a prefix ends at U+F8FF', 'a prefix finds whatever character follows it', {
    hasPrefix: (text, prefix) => text >= prefix && text < `${prefix}\uF8FF`,
  }),
  breaksRule('after is inclusive', 'scan of after "ab"', {
    isAfter: (text, after) => compareUtf8(text, after) >= 0,
  }),
  breaksRule('after must exist', 'a cursor goes on where its row was removed', {
    isAfter: (text, after, known) => !known.includes(after) || compareUtf8(text, after) > 0,
  }),
  breaksRule('the limit is ignored', 'scan of limit 1', { cut: (found) => found }),
  breaksRule('a page has at most 50 rows, whatever the limit', 'a call of as many rows as the limit', {
    cut: (found, limit) => found.slice(0, Math.min(limit, 50)),
  }),
  breaksRule('the limit is one short', 'scan of limit 3', { cut: (found, limit) => found.slice(0, limit - 1) }),
  breaksRule('tombstones are hidden', 'a tombstone is loaded and scanned as a row with an empty record', {
    giveOut: (row) => (row.rec.length === 0 ? undefined : copyRow(row)),
  }),
  breaksRule('scans run into the next entity', 'a scan stays within its entity', {
    isOfEntity: (row, entity) => row.entity.startsWith(entity),
  }),
  breaksMethod('a scan misses what was just written', 'a scan sees every write that has returned', delayedIndex),
  breaksMethod('an entity is listed once a row', 'an entity with many rows is listed once', (store) => ({
    async entities(range, options) {
      const names = await store.entities(range, options)
      const rows = await Promise.all(names.map((name) => store.scan(name, { limit: range.limit })))
      return rows.flatMap((found, i) => found.map(() => names[i]!)).slice(0, range.limit)
    },
  })),
  breaksMethod('an empty entity stays listed', 'an entity whose last row was removed is no longer listed', (store) => {
    const seen = new Set<string>()
    return {
      write: async (rows, options) => {
        const results = await store.write(rows, options)
        for (const row of rows) seen.add(row.entity)
        return results
      },
      entities: async ({ prefix = '', after, limit }) =>
        [...seen]
          .filter((name) => name.startsWith(prefix) && (after === undefined || name > after))
          .toSorted()
          .slice(0, limit),
    }
  }),
  breaksMethod('loads in the order of keys', 'rows come in the order of the ids', (store) => ({
    load: (ids, options) =>
      store.load(
        [...ids].toSorted((a, b) => byUtf16(a.key, b.key)),
        options,
      ),
  })),
  breaksMethod('leaves out what is missing', 'what is not there is undefined, in its place', (store) => ({
    load: async (ids, options) => (await store.load(ids, options)).filter((row) => row !== undefined),
  })),
]

/** Keys become visible to scans with the write after theirs. */
function delayedIndex(store: RowStore): Partial<RowStore> {
  const visible = new Set<string>()
  let latest: string[] = []
  return {
    async write(rows, options) {
      const results = await store.write(rows, options)
      for (const name of latest) visible.add(name)
      latest = rows.map((row) => JSON.stringify([row.entity, row.key]))
      return results
    },
    async scan(entity, range, options) {
      const found = await store.scan(entity, range, options)
      return found.filter((row) => visible.has(JSON.stringify([row.entity, row.key])))
    },
  }
}
