import type { Row } from '../rows/row-store.ts'
import type { SearchContext, SearchDocument } from '../search/search-index.ts'
import type { Envelope } from '../values/envelope.ts'
import type { Storable } from '../values/normalise.ts'
import type { RecordIndex } from './index-options.ts'
import { resolvePath } from './value-paths.ts'

/** What of a record is searched; undefined where that is nothing. */
export function recordDocument(
  { key, seq, updatedAtMs }: Pick<Row, 'key' | 'seq' | 'updatedAtMs'>,
  { value, indexed, createdAtMs }: Envelope,
  { fields: everyTime, about }: RecordIndex,
): SearchDocument | undefined {
  const context = contextOf(value, about)
  const fields = indexed ?? everyTime
  const texts: string[] = []
  if (fields === undefined) collectTexts(value, texts, '', new Set(Object.values(about)))
  else for (const path of fields) collectTexts(resolvePath(value, path.split('.')) as Storable | undefined, texts)
  if (texts.length === 0) return undefined
  // Records of a session that say no place in it stand as they were made, in an index that is built anew too.
  return { id: key, seq, text: texts.join('\n'), value, position: createdAtMs, atMs: updatedAtMs, ...context }
}

function contextOf(value: Storable, about: RecordIndex['about']): SearchContext {
  const context: SearchContext = {}
  const at = (path: string): unknown => resolvePath(value, path.split('.'))
  for (const name of ['speaker', 'role', 'session'] as const) {
    const found = at(about[name])
    if (typeof found === 'string' || typeof found === 'number') context[name] = String(found)
  }
  for (const name of ['position', 'atMs'] as const) {
    const found = at(about[name])
    if (typeof found === 'number') context[name] = found
  }
  return context
}

/** The texts and numbers in a value at any depth, but not those at `except`. */
function collectTexts(value: Storable | undefined, texts: string[], path = '', except?: ReadonlySet<string>): void {
  if (except?.has(path)) return
  if (typeof value === 'string') texts.push(value)
  else if (typeof value === 'number') texts.push(String(value))
  else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
    for (const [name, item] of Object.entries(value)) {
      collectTexts(item, texts, path === '' ? name : `${path}.${name}`, except)
    }
  }
}
