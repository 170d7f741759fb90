/** A server that tests talk to. */
export interface Service {
  readonly name: string
  /** The variable of the environment in which tests find its address. */
  readonly variable: string
  /** Where it listens, unless that is taken. */
  readonly port: number
  /** How many ports it needs, from `port` on. */
  readonly ports: number
  /** Packages of Debian that bring its programs. */
  readonly packages: readonly string[]
  address(port: number): string
  /** Whether its programs are on this machine. */
  isInstalled(): boolean
  /** What listens on a port, if that is this service and lets us in: its name and version. */
  identify(port: number): Promise<string | undefined>
  /** Makes what tests need in a server that runs. Repeatable. */
  prepare?(port: number): Promise<void>
  /** Starts it on 127.0.0.1 with empty data, and waits until it answers. */
  start(place: Place): Promise<RunningService>
}

export interface Place {
  port: number
  /** A folder that is there, for data and logs. */
  dataDir: string
}

interface RunningService {
  /** What serves, where `identify` cannot tell. */
  engine?: string
  stop(): Promise<void>
}

/** The database that tests use in PostgreSQL and MariaDB. */
export const DATABASE = 'test'
