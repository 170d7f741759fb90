import { storeMigrations } from '@keepsake/open'
import { toUsageError, usageError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { describeStore } from '../describe-store.ts'

export interface ProvisionOptions {
  to?: number
  down?: boolean
  yes?: boolean
  print?: boolean
}

/** Creates or migrates what the store needs, or with `--down` removes it. */
export async function run(context: Context, options: ProvisionOptions): Promise<void> {
  const { out, storeUri, signal } = context
  const { to, down = false, yes = false, print = false } = options
  const name = describeStore(storeUri)
  if (print) return await printMigrations(context, down, to)
  if (down && !yes) {
    throw usageError(
      `--down removes tables with all their rows: everything that is remembered in ${name}. If that is what you want, repeat it with --yes.`,
    )
  }
  await using store = await context.openStore({ create: !down })
  await store.provision({ down, signal, ...(to !== undefined && { to }) }).catch((error: unknown) => {
    throw toUsageError(error)
  })
  if (out.json) await out.record({ store: name, status: down ? 'removed' : 'provisioned' })
  else await out.line(down ? `The tables are gone from ${name}.` : `${name} is provisioned.`)
}

/** From nothing up to the version, or from the newest down to it. */
async function printMigrations({ out, storeUri }: Context, down: boolean, to: number | undefined): Promise<void> {
  const migrations = await storeMigrations(storeUri)
  if (migrations === undefined) throw usageError(`${describeStore(storeUri)} needs no SQL: run keepsake provision.`)
  const steps = down
    ? migrations.filter(({ version }) => version > (to ?? 0)).toReversed()
    : migrations.filter(({ version }) => version <= (to ?? Infinity))
  for (const { version, name, ...statements } of steps) {
    const sql = down ? statements.down : statements.up
    if (out.json) await out.record({ version, name, sql })
    else await out.line(`-- ${version} ${name}\n${sql.map((statement) => `${statement};`).join('\n')}\n`)
  }
}
