// node src/bench.ts [NAME [STORE]]: runs one benchmark, or all, and prints what each takes beside what it is compared with.
import { benchAgent } from './agent.ts'
import { benchFiles } from './files.ts'
import { benchImportTime } from './import-time.ts'
import { formatLines, holds, type Bench } from './line.ts'
import { benchPrivacy } from './privacy.ts'
import { benchScanSize } from './scan-size.ts'
import { benchPicking } from './picking/bench-picking.ts'
import { benchRecall } from './recall/recall.ts'
import { benchSqlite } from './sqlite.ts'
import { benchStores } from './stores.ts'
import { subjects } from './subjects.ts'
import { benchThread } from './thread.ts'
import { benchTurn } from './turn.ts'

const benches: Readonly<Record<string, Bench>> = {
  agent: () => benchAgent(),
  files: () => benchFiles(),
  import: () => benchImportTime(),
  privacy: () => benchPrivacy(),
  // These are heavy.
  peers: async () => (await import('./peers.ts')).benchPeers(),
  scan: () => benchScanSize(),
  picking: () => benchPicking(),
  recall: () => benchRecall(),
  sqlite: () => benchSqlite(),
  stores: () =>
    benchStores(
      undefined,
      subjects.filter(({ name }) => name.toLowerCase().includes(store.toLowerCase())),
    ),
  thread: () => benchThread(),
  turn: () => benchTurn(),
}

const [only, store = ''] = process.argv.slice(2)
if (only !== undefined && !Object.hasOwn(benches, only)) {
  console.error(`There is no benchmark ${only}; there are: ${Object.keys(benches).join(', ')}.`)
  process.exit(2)
}

let missed = 0
for (const [name, bench] of Object.entries(benches)) {
  if (only !== undefined && only !== name) continue
  const lines = await bench()
  console.log(`${name}\n${formatLines(lines)}\n`)
  missed += lines.filter((line) => !holds(line)).length
}
if (missed > 0) {
  console.error(`${missed} above their goal`)
  process.exitCode = 1
}
