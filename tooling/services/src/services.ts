// The servers that live tests talk to: `node services.ts start|stop|status|env [NAME…] [--install]`.
import { allServices } from './all-services.ts'
import { parseArguments, usage, type Arguments } from './arguments.ts'
import { findHeld, startHeld, stopHeld } from './held-service.ts'
import { installPackages } from './install.ts'
import { locate, type LocatedService } from './locate.ts'
import type { Service } from './service.ts'
import { exportLine } from './shell.ts'

const knownNames = allServices.map(({ name }) => name)
const width = Math.max(...knownNames.map((name) => name.length)) + 2

function say(service: Service, state: string, text = ''): void {
  console.log(`${service.name.padEnd(width)}${state.padEnd(9)}${text}`.trimEnd())
}

function sayLocated(service: Service, { how, address, engine }: LocatedService): void {
  say(service, how, how === 'set' ? engine : `${address}  ${engine}`)
}

async function start(services: readonly Service[], install: boolean): Promise<boolean> {
  if (install) await installMissing(services)
  const started = await Promise.all(services.map(startOne))
  return started.every(Boolean)
}

async function startOne(service: Service): Promise<boolean> {
  const there = await locate(service)
  if (there !== undefined) {
    if (there.how === 'found') await service.prepare?.(service.port)
    sayLocated(service, there)
    return true
  }
  if (!service.isInstalled()) {
    say(service, 'missing', `apt-get install -y ${service.packages.join(' ')}, or start with --install`)
    return false
  }
  try {
    const { port, engine } = await startHeld(service)
    sayLocated(service, { how: 'started', address: service.address(port), engine })
    return true
  } catch (error) {
    say(service, 'failed', (error as Error).message)
    return false
  }
}

async function installMissing(services: readonly Service[]): Promise<void> {
  const missing: string[] = []
  for (const service of services) {
    if (!service.isInstalled() && (await locate(service)) === undefined) missing.push(...service.packages)
  }
  if (missing.length > 0) await installPackages([...new Set(missing)])
}

async function stop(services: readonly Service[]): Promise<boolean> {
  const stopped = await Promise.all(
    services.map(async (service) => {
      const held = await findHeld(service)
      if (held === undefined) return true
      try {
        await stopHeld(service, held)
        say(service, 'stopped')
        return true
      } catch (error) {
        say(service, 'failed', (error as Error).message)
        return false
      }
    }),
  )
  return stopped.every(Boolean)
}

async function status(services: readonly Service[]): Promise<boolean> {
  const located = await Promise.all(services.map(locate))
  for (const [i, service] of services.entries()) {
    const there = located[i]
    if (there === undefined) say(service, 'not there')
    else sayLocated(service, there)
  }
  return located.every((there) => there !== undefined)
}

async function env(services: readonly Service[]): Promise<boolean> {
  const located = await Promise.all(services.map(locate))
  for (const [i, { variable }] of services.entries()) {
    const there = located[i]
    if (there !== undefined) console.log(exportLine(variable, there.address))
  }
  return located.every((there) => there !== undefined)
}

let args: Arguments | undefined
try {
  args = parseArguments(process.argv.slice(2), knownNames)
} catch (error) {
  console.error(`${(error as Error).message}\n\n${usage}`)
  process.exitCode = 2
}
if (args !== undefined) {
  const { command, names, install } = args
  const services = allServices.filter(({ name }) => names.includes(name))
  const run = { start: () => start(services, install), stop, status, env }[command]
  try {
    if (!(await run(services))) process.exitCode = 1
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
