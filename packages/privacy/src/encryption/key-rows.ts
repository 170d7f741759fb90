import {
  decodeEnvelope,
  encodeEnvelope,
  encodeTuple,
  KeepsakeError,
  walkRows,
  type Bytes,
  type CallOptions,
  type Clock,
  type RowStore,
  type Storable,
} from '@keepsake/core'

const ENTITY = encodeTuple(['subject keys'])
/** Tries of an update that others come between. */
const MAX_TRIES = 20

/** What is kept about a subject. A generation up to `newest` that is not in the list was destroyed. */
export interface KeysOfSubject {
  newest: number
  keys: readonly WrappedDataKey[]
}

export interface WrappedDataKey {
  generation: number
  /** Which key-encryption key opens it. */
  keyId: string
  wrapped: Bytes
}

/** What an update makes of a subject's keys; `undefined` where there is nothing to do. */
type KeyChange = (keys: KeysOfSubject) => Promise<KeysOfSubject | undefined>

/** One row per subject, under a name that does not tell who it is. */
export interface KeyRows {
  read(name: string, options: CallOptions): Promise<KeysOfSubject>
  /** Compare-and-set: `change` is called again where another came between. Returns what is stored then. */
  update(name: string, change: KeyChange, options: CallOptions): Promise<KeysOfSubject>
  names(options: CallOptions): AsyncGenerator<string>
}

export function keyRows(store: RowStore, clock: Clock): KeyRows {
  async function load(name: string, options: CallOptions): Promise<{ seq: number | undefined; keys: KeysOfSubject }> {
    const [row] = await store.load([{ entity: ENTITY, key: name }], options)
    return row === undefined
      ? { seq: undefined, keys: { newest: 0, keys: [] } }
      : { seq: row.seq, keys: fromRec(row.rec) }
  }

  return {
    read: async (name, options) => (await load(name, options)).keys,
    async update(name, change, options) {
      const writeId = clock.newId()
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const { seq, keys } = await load(name, options)
        const changed = await change(keys)
        if (changed === undefined) return keys
        const updatedAtMs = clock.nowMs()
        const rec = encodeEnvelope({ value: toStorable(changed), createdAtMs: updatedAtMs, writeIds: [writeId] })
        const guard = seq === undefined ? 'absent' : { seq }
        const write = { entity: ENTITY, key: name, seq: clock.nextSeq(seq), rec, updatedAtMs, guard } as const
        const [result] = await store.write([write], options)
        if (result!.status === 'applied') return changed
      }
      throw new KeepsakeError(
        'conflict',
        'The keys of a subject are being changed by others all the time; try again.',
        {
          retryable: true,
        },
      )
    },
    async *names(options) {
      for await (const row of walkRows(store, ENTITY, options)) yield row.key
    },
  }
}

function toStorable({ newest, keys }: KeysOfSubject): Storable {
  return { newest, keys: keys.map(({ generation, keyId, wrapped }) => ({ generation, keyId, wrapped })) }
}

function fromRec(rec: Bytes): KeysOfSubject {
  return decodeEnvelope(rec).value as unknown as KeysOfSubject
}
