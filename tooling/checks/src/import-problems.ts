import { writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { build } from 'esbuild'
import { runCommand } from './run-command.ts'

/**
 * What a module does by being imported by Node: it fails, prints, starts a timer or opens something, adds a global or
 * listens to the process. What its dependencies do is theirs: they are imported first. Writes a script beside `file`.
 */
export async function importProblems(file: string): Promise<string[]> {
  const options = { bundle: true, format: 'esm', platform: 'node', packages: 'external', write: false } as const
  const { metafile } = await build({ ...options, metafile: true, logLevel: 'silent', entryPoints: [file] })
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports)
  const dependencies = imports.filter(({ external, kind }) => external === true && kind === 'import-statement')
  const script = join(dirname(file), 'import-probe.mjs')
  writeFileSync(script, probe(new Set(dependencies.map(({ path }) => path)), `./${basename(file)}`))
  const { ok, output } = await runCommand(process.execPath, [script], { cwd: dirname(file), timeoutMs: 20_000 })
  if (!ok) return [`importing it fails: ${output}`]
  return output === '' ? [] : [`importing it does something: ${output}`]
}

function probe(dependencies: ReadonlySet<string>, own: string): string {
  return `
    for (const name of ${JSON.stringify([...dependencies])}) await import(name)
    const look = () => [
      ...Reflect.ownKeys(globalThis).map((name) => 'a global: ' + String(name)),
      ...process.getActiveResourcesInfo().map((name) => 'something open: ' + name),
      ...process.eventNames().map((name) => 'a listener: ' + String(name)),
    ]
    const before = look()
    await import(${JSON.stringify(own)})
    for (const item of look().filter((found) => !before.includes(found))) console.log(item)
    process.exit()
  `
}
