import { listens } from '@keepsake/services'

/** Whether somebody listens at `HOST:PORT`. */
export function answers(address: string): Promise<boolean> {
  const [, host, port] = /^(.*):(\d+)$/.exec(address)!
  return listens(Number(port), host)
}
