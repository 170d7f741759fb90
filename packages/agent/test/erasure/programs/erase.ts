import { eraseSubject } from '@keepsake/core'
import { openStore, type StorePlace } from '@keepsake/test-stores/open-store'

/** Erases a person, and kills itself (`kill -9`) once so many rows are removed: seen from outside, that moment would be over. */
const [place, subject, rows] = process.argv.slice(2) as [string, string, string]
await using store = await openStore(JSON.parse(place) as StorePlace)
await eraseSubject(store, subject, {
  graceMs: 0,
  onProgress(progress) {
    if (progress.step === 'remove' && progress.rows > Number(rows)) process.kill(process.pid, 'SIGKILL')
  },
})
