import type { CallOptions, Range } from '@keepsake/core'
import type { FirestoreClient } from './firestore-client.ts'
import { inParallel } from './in-parallel.ts'
import { rangeQuery } from './range-query.ts'

/**
 * Which entities have rows: a document for each. Firestore cannot make a row on condition that another document exists,
 * and a write of one document by all writers of an entity would slow them down. So the first write to an entity that this
 * process does not know also writes its document; after new rows of one that it knows the document is looked for, as
 * somebody may have removed the entity meanwhile. What is listed too many is left out when the list is read.
 */
export interface EntityList {
  /** Whether this process has seen the entity's document. */
  knows(entity: string): boolean
  /** To be called when a commit that made the documents has returned. */
  learn(entities: Iterable<string>): void
  /** Lists entities again that were removed before their new rows were written. If it rejects, they are not known. */
  confirm(entities: readonly string[], options?: CallOptions): Promise<void>
  /** Removes the document of an entity, unless it has rows. */
  removeIfEmpty(entity: string, options?: CallOptions): Promise<void>
  read(range: Range, options?: CallOptions): Promise<string[]>
  /** All that are listed, also those without rows, a page at a time. */
  pages(options?: CallOptions): AsyncIterable<string[]>
}

const MAX_KNOWN = 10_000
const PAGE_ENTITIES = 300
const LANES = 32

export function entityList(client: FirestoreClient): EntityList {
  const known = new Set<string>()

  async function hasRows(entity: string, o?: CallOptions): Promise<boolean> {
    const found = await client.send(({ rows }) => rows(entity).select().limit(1).get(), o)
    return !found.empty
  }

  async function listed(range: Range, o?: CallOptions): Promise<string[]> {
    return client.send(async ({ entities }) => {
      const found = await rangeQuery(entities, 'entity', range)?.get()
      return found?.docs.map((document) => document.get('entity') as string) ?? []
    }, o)
  }

  async function listMissing(names: readonly string[], o?: CallOptions): Promise<void> {
    const found = await client.send(
      (places) => places.firestore.getAll(...names.map(places.entity), { fieldMask: ['entity'] }),
      o,
    )
    const missing = names.filter((_, index) => !found[index]!.exists)
    await inParallel(missing, LANES, (entity) => client.send((places) => places.entity(entity).set({ entity }), o))
  }

  return {
    knows: (entity) => known.has(entity),

    learn(entities) {
      for (const entity of entities) {
        if (known.size >= MAX_KNOWN) known.clear()
        known.add(entity)
      }
    },

    async confirm(entities, o) {
      if (entities.length === 0) return
      try {
        await listMissing(entities, o)
      } catch (error) {
        // Who tries again then writes their documents.
        for (const entity of entities) known.delete(entity)
        throw error
      }
    },

    async removeIfEmpty(entity, o) {
      if (await hasRows(entity, o)) return
      known.delete(entity)
      // A transaction, so that no row comes between the look and the removal: its writer then finds the document gone.
      await client.send(
        (places) =>
          places.firestore.runTransaction(async (transaction) => {
            const found = await transaction.get(places.rows(entity).select().limit(1))
            if (found.empty) transaction.delete(places.entity(entity))
          }),
        o,
      )
    },

    async read({ limit, ...range }, o) {
      const names: string[] = []
      for (let { after } = range; ;) {
        const count = Math.min(limit - names.length, PAGE_ENTITIES)
        const page = await listed({ ...range, ...(after !== undefined && { after }), limit: count }, o)
        const withRows = await inParallel(page, LANES, (entity) => hasRows(entity, o))
        names.push(...page.filter((_, index) => withRows[index]))
        if (page.length < count || names.length === limit) return names
        after = page.at(-1)!
      }
    },

    async *pages(o) {
      for (let after: string | undefined; ;) {
        const page = await listed({ limit: PAGE_ENTITIES, ...(after !== undefined && { after }) }, o)
        if (page.length > 0) yield page
        if (page.length < PAGE_ENTITIES) return
        after = page.at(-1)!
      }
    },
  }
}
