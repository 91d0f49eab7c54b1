import Docker from 'dockerode';

/** Whether a Docker engine answers, at DOCKER_HOST or the usual socket. */
export const engineAnswers = (): Promise<boolean> =>
  new Docker({ timeout: 5_000 }).ping().then(
    () => true,
    () => false,
  );
