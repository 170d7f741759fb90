import { once } from 'node:events'
import { styleText } from 'node:util'
import { jsonLine } from './safe-text.ts'
import { formatTable, type Column } from './table.ts'

type Style = Parameters<typeof styleText>[0]

/** Where a command's results go: people's lines or machines' JSON, never both. */
export interface Output {
  /** Whether results are JSON, one value a line. */
  readonly json: boolean
  /** Writes one line to standard output. */
  line(text: string): Promise<void>
  /** Writes one JSON value as a line to standard output. */
  record(value: unknown): Promise<void>
  /** Writes a table to standard output, fitted to the terminal. Cells must be safe to show. */
  table(columns: readonly Column[], rows: readonly (readonly string[])[]): Promise<void>
  /** Writes a remark to standard error; machines get none. */
  note(text: string): void
  /** Rewrites one line of standard error while something is under way; only on a terminal. Empty text clears it. */
  progress(text: string): void
  /** Text in a colour, where standard output shows colours. */
  style(style: Style, text: string): string
}

export function createOutput(json: boolean, stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Output {
  const style = (wanted: Style, text: string): string => styleText(wanted, text, { stream: stdout })

  // A reader that is slower than the store is waited for, so that memory stays bounded.
  async function line(text: string): Promise<void> {
    if (!stdout.write(text + '\n')) await once(stdout, 'drain')
  }

  return {
    json,
    line,
    record: (value) => line(jsonLine(value)),
    async table(columns, rows) {
      const width = stdout.isTTY ? stdout.columns : undefined
      for (const text of formatTable(columns, rows, { width, styleTitle: (title) => style('dim', title) })) {
        await line(text)
      }
    },
    note(text) {
      if (!json) stderr.write(styleText('dim', text, { stream: stderr }) + '\n')
    },
    progress(text) {
      if (stderr.isTTY && !json) stderr.write(`\r\u001b[K${text}`)
    },
    style,
  }
}
