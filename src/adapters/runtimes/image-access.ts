/** What one build, or one image of the operator's, may use of a registry. */
export interface RegistryCredentials {
  /** Sent to this registry alone. */
  login?: { username: string; password: string; serveraddress: string } | undefined;
  /** Whether there are credentials for this registry that not every repository may use. */
  restricted: boolean;
}

/** The registries as one tenant's repository, or the operator, may use them; where it is missing: without credentials. */
export interface ImageAccess {
  /** @param host with its port; Docker Hub is `docker.io` */
  at(host: string): Promise<RegistryCredentials>;
  /** The age from which on an image is looked up again at its registry. */
  maxAgeMs(): Promise<number>;
}

/** Registries without credentials; images that are here are not looked up again. */
export const publicImages: ImageAccess = {
  at: async () => ({ restricted: false }),
  maxAgeMs: async () => Number.POSITIVE_INFINITY,
};

/** What runtimes that build images have in addition. */
export interface RuntimeImages {
  /** The IPv4 ranges of the networks that builds run in, where they reach the manager. */
  buildNetworks?(): Promise<readonly string[]>;
  /** What the build cache takes of the engines' disks; undefined: they do not say. @throws AppError runtime_unavailable */
  buildCacheBytes?(signal: AbortSignal): Promise<number | undefined>;
  /** Signs in at a registry. @throws Error with the registry's reason */
  checkRegistry?(login: NonNullable<RegistryCredentials['login']>): Promise<void>;
}
