import { KeepsakeError, type Row, type RowWrite, type Storable } from '@keepsake/core'
import type { Ground } from '../ground.ts'
import { fingerprint } from '../fingerprint.ts'
import type { Place } from '../rows/head.ts'
import {
  entryId,
  entryRows,
  partKeysOf,
  placeName,
  readEntry,
  type Journal,
  type JournalEntry,
} from '../rows/journal.ts'
import { damaged } from '../rows/row.ts'
import { writeRows } from '../store-calls.ts'
import type { HeadKeeper } from './head-keeper.ts'
import type { RunStop } from './run-stop.ts'

/** What a call asks for. */
interface Asked {
  scope: string
  hash: string
  /** Makes the call, and says what it came to. It does not throw. Left out: an edge, which asks nobody. */
  make?: () => Promise<Pick<JournalEntry, 'result' | 'failure'>>
  /** Whether an entry that was made for another request serves this one too. */
  lenient?: boolean
}

/** Calls of one run of a handler, each made once or served from the journal. */
export interface JournalPlayer {
  call(asked: Asked): Promise<JournalEntry>
  /** Reads from outside: kept with the next entry of its scope, and served again from there. */
  outside(scope: string, read: () => Promise<Storable>): Promise<Storable>
  /** Writes reads of a scope that no entry holds yet: before scopes are opened in it, and when it ends. */
  edge(scope: string): Promise<void>
  /** Takes the next place of a scope for a question; with the reads since the last entry of the scope. */
  ask(scope: string, hash: string, question: Storable): Promise<AskedQuestion>
  /** Waits for all that is under way. */
  settled(): Promise<void>
  /** Whether every entry of the journal was used. If not, the run is stopped. */
  checkUsed(): boolean
}

export interface AskedQuestion {
  place: Place
  /** The row to be written; left out: it is stored. */
  row?: RowWrite
  /** Looks at the stored entry, once the row was found to be stale. Whether it is the same question. */
  adopt: () => Promise<boolean>
  stored(): void
}

interface Scope {
  ordinal: number
  readOrdinal: number
  /** Reads that no stored entry holds. */
  reads: Map<string, Storable>
  pending: Set<Promise<unknown>>
  /** Whether something was read since the last place was taken. */
  readSince: boolean
  edge: Promise<unknown>
}

export interface PlayerOptions {
  keeper: HeadKeeper
  s: number
  journal: Journal
  stop: RunStop
}

export function journalPlayer(ground: Ground, { keeper, s, journal, stop }: PlayerOptions): JournalPlayer {
  const { store, clock } = ground
  const { entity } = keeper
  const scopes = new Map<string, Scope>()
  const used = new Set<string>()
  const pending = new Set<Promise<unknown>>()
  /** Reads that entries hold, by scope and ordinal of the read. */
  const served = new Map<string, Storable>()
  let fresh = false
  /** The greatest order of the entries that were used. */
  let latest = 0
  for (const [name, entry] of journal.entries) keepReads(name.slice(14), entry)

  function keepReads(scope: string, { reads = {} }: JournalEntry): void {
    for (const [ordinal, value] of Object.entries(reads)) served.set(`${ordinal} ${scope}`, value)
  }

  function scopeOf(name: string): Scope {
    let scope = scopes.get(name)
    if (scope === undefined) {
      scope = {
        ordinal: 0,
        readOrdinal: 0,
        reads: new Map(),
        pending: new Set(),
        readSince: false,
        edge: Promise.resolve(),
      }
      scopes.set(name, scope)
    }
    return scope
  }

  function takePlace(name: string): { scope: Scope; place: Place; order: number } {
    stop.check()
    const scope = scopeOf(name)
    scope.readSince = false
    return { scope, place: { scope: name, ordinal: ++scope.ordinal }, order: latest + 1 }
  }

  /** The handler did not ask what it asked before: because it was told something else, or by its own fault. */
  function unusable(place: Place): never {
    if (fresh) stop.end({ kind: 'restart' })
    else {
      const where = `call ${place.ordinal}${place.scope === '' ? '' : ' of a tool'}`
      const message = `The handler was replayed and its ${where} is not what it was: a handler must ask the same for the same event, memory, answers and reads. Use nowMs and step() for the time, chance and the world outside.`
      stop.end({ kind: 'failed', failure: { kind: 'replay_diverged', code: 'replay_diverged', message } })
    }
    stop.check()
    throw new KeepsakeError('replay_diverged', 'The handler was replayed and asked something else.')
  }

  function use(scope: Scope, place: Place, entry: JournalEntry, { hash, lenient }: Pick<Asked, 'hash' | 'lenient'>) {
    const differs = Object.entries(entry.reads ?? {}).some(([ordinal, value]) => {
      const mine = scope.reads.get(ordinal)
      return mine !== undefined && fingerprint(mine) !== fingerprint(value)
    })
    if (!lenient && (entry.hash !== hash || differs)) unusable(place)
    journal.entries.set(placeName(place), entry)
    used.add(placeName(place))
    latest = Math.max(latest, entry.order)
    keepReads(place.scope, entry)
    for (const ordinal of Object.keys(entry.reads ?? {})) scope.reads.delete(ordinal)
    return entry
  }

  /** Runs a part of the engine's own work: its failure is the store's, ends the run and is no failure of the handler's. */
  async function own<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      stop.end({ kind: 'broken', error })
      stop.check()
      throw error
    }
  }

  function tracked<T>(work: Promise<T>): Promise<T> {
    pending.add(work)
    const done = (): void => void pending.delete(work)
    work.then(done, done)
    return work
  }

  async function loadEntry(place: Place): Promise<JournalEntry> {
    const id = entryId(entity, s, place)
    const [row] = await store.load([id])
    if (row === undefined) throw damaged('A journaled result is missing')
    const keys = partKeysOf(row)
    const parts = keys.length === 0 ? [] : await store.load(keys.map((key) => ({ entity, key })))
    const byKey = new Map<string, Row | undefined>(keys.map((key, index) => [key, parts[index]]))
    return readEntry(row, (key) => byKey.get(key))
  }

  async function withReads(scope: Scope, entry: JournalEntry): Promise<JournalEntry> {
    await Promise.allSettled(scope.pending)
    stop.check()
    return scope.reads.size === 0 ? entry : { ...entry, reads: Object.fromEntries(scope.reads) }
  }

  function rowsOf(place: Place, entry: JournalEntry): ReturnType<typeof entryRows> {
    const write = { nowMs: clock.nowMs(), writeId: clock.newId(), maxRecBytes: store.limits.maxRecBytes }
    return entryRows(entity, s, place, entry, write)
  }

  async function renewLease(): Promise<void> {
    if (!(await keeper.renew())) stop.end({ kind: 'lost' })
    stop.check()
  }

  async function call(asked: Asked): Promise<JournalEntry> {
    const { scope, place, order } = takePlace(asked.scope)
    const found = journal.entries.get(placeName(place))
    if (found !== undefined) {
      await Promise.allSettled(scope.pending)
      stop.check()
      return use(scope, place, found, asked)
    }
    let made: Pick<JournalEntry, 'result' | 'failure'> = {}
    if (asked.make !== undefined) {
      while (!keeper.surelyOurs()) await own(renewLease)
      // In the same step as the look at the lease: nothing may come between.
      made = await asked.make()
      stop.check()
      // Of an entity that was erased meanwhile, or that another works on, nothing is stored any more: also if this process
      // stood still for so long that its lease ran out unseen.
      if (!keeper.surelyOurs()) await own(renewLease)
    }
    const entry = await withReads(scope, { hash: asked.hash, order, ...made })
    return own(async () => {
      const rows = rowsOf(place, entry)
      if (rows.parts.length > 0) await writeRows(ground, store, rows.parts)
      const [result] = await writeRows(ground, store, [rows.entry])
      stop.check()
      return use(scope, place, result!.status === 'applied' ? entry : await loadEntry(place), asked)
    })
  }

  return {
    call: (asked) => tracked(call(asked)),

    async outside(name, read) {
      stop.check()
      const scope = scopeOf(name)
      scope.readSince = true
      const ordinal = String(++scope.readOrdinal)
      const before = served.get(`${ordinal} ${name}`)
      if (before !== undefined) return before
      fresh = true
      const reading = own(read)
      scope.pending.add(reading)
      try {
        const value = await tracked(reading)
        scope.reads.set(ordinal, value)
        return value
      } finally {
        scope.pending.delete(reading)
      }
    },

    async edge(name) {
      const scope = scopeOf(name)
      if (scope.readSince) scope.edge = tracked(call({ scope: name, hash: 'edge' }))
      await scope.edge
    },

    async ask(name, hash, question) {
      const { scope, place, order } = takePlace(name)
      const found = journal.entries.get(placeName(place))
      const asked = { hash }
      const answered = {
        place,
        async adopt() {
          return own(async () => {
            const entry = await loadEntry(place)
            if (entry.hash === hash) use(scope, place, entry, asked)
            return entry.hash === hash
          })
        },
        stored() {
          used.add(placeName(place))
        },
      }
      if (found !== undefined) {
        use(scope, place, found, asked)
        return answered
      }
      const entry = await withReads(scope, { hash, order, question })
      const { parts, entry: row } = rowsOf(place, entry)
      if (parts.length > 0) throw new KeepsakeError('too_large', 'The question is too large to be stored.')
      return { ...answered, row }
    },

    async settled() {
      while (pending.size > 0) await Promise.allSettled(pending)
    },

    checkUsed() {
      if (ground.options.lenient) return true
      for (const name of journal.entries.keys()) {
        if (used.has(name)) continue
        try {
          unusable({ ordinal: Number.parseInt(name.slice(0, 14), 16), scope: name.slice(14) })
        } catch {
          return false
        }
      }
      return true
    },
  }
}
