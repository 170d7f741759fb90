import { eraseSubject } from '@keepsake/core'
import { openStore, type StorePlace } from '../../kills/programs/open-store.ts'

/** Erases a person, and says how far it is. */
const [place, subject] = process.argv.slice(2) as [string, string]
await using store = await openStore(JSON.parse(place) as StorePlace)
await eraseSubject(store, subject, { graceMs: 0, onProgress: ({ step, rows }) => console.log(`${step} ${rows}`) })
