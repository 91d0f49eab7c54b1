/** The environment the manager was started in, handed to what runs programs; each takes only what it names. */
export type HostEnvironment = Readonly<Record<string, string | undefined>>;
