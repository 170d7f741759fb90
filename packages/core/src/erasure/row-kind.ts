import { decodeTuple } from '../rows/keys.ts'

const OF_THREADS: Readonly<Record<string, string>> = {
  o: 'claims',
  i: 'claims',
  h: 'heads',
  c: 'commits',
  w: 'working_memory',
  j: 'journals',
  e: 'events',
  d: 'dead_letters',
  in: 'inbox',
  t: 'inbox',
}
const OF_OWNERS: Readonly<Record<string, string>> = { r: 'records', f: 'files', t: 'thread_list', due: 'expiry' }
const OF_WORK: Readonly<Record<string, string>> = { q: 'inbox', due: 'expiry', x: 'dead_letters' }

/** What a row is, for reports: `messages`, `records`, `commits`, … `other` for a row that none of ours wrote. */
export function rowKind(entity: string, key: string): string {
  const [kind] = segmentsOf(entity)
  const [area = '', life] = segmentsOf(key)
  switch (kind) {
    case 'thread':
    case 'entity':
      if (area === 'm') return life === undefined || life === '!' ? 'heads' : 'messages'
      return OF_THREADS[area] ?? 'other'
    case 'owner':
      // An area of its own is made by whoever keeps records in it.
      return OF_OWNERS[area] ?? (area === '' ? 'other' : 'records')
    case 'work':
      return OF_WORK[area] ?? 'other'
    case 'subject':
    case 'derived':
      return 'directory'
    case 'audit':
      return 'audit'
    default:
      return 'other'
  }
}

/** The segments of an entity or key; none for one that is no tuple. */
export function segmentsOf(stored: string): string[] {
  try {
    return decodeTuple(stored)
  } catch {
    return []
  }
}
