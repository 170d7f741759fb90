// node holder.ts NAME PORT FOLDER: starts a service, tells its parent, and holds it until SIGTERM.
import { allServices } from './all-services.ts'
import type { HolderReport } from './held-service.ts'

const [name, port, dataDir] = process.argv.slice(2) as [string, string, string]
const tell = (report: HolderReport): void => {
  process.send?.(report)
  if (process.connected) process.disconnect()
}

try {
  const service = allServices.find((candidate) => candidate.name === name)!
  const running = await service.start({ port: Number(port), dataDir })
  await service.prepare?.(Number(port))
  process.on('SIGTERM', () => void running.stop().then(() => process.exit(0)))
  tell({ engine: running.engine ?? (await service.identify(Number(port))) ?? name })
} catch (error) {
  tell({ error: error instanceof Error ? error.message : String(error) })
  process.exitCode = 1
}
