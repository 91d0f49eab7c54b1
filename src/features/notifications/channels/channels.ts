export const channelKinds = ['email', 'slack', 'discord', 'teams', 'mattermost', 'ntfy', 'webhook'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** A way to reach people, without its secrets. */
export interface Channel {
  id: string;
  kind: ChannelKind;
  name: string;
  /** Nothing is sent through a disabled one. */
  enabled: boolean;
}

/** The channels that administrators have set up. */
export interface Channels {
  /** All of them, by name. */
  list(): Promise<Channel[]>;
  /** @throws AppError not_found */
  get(id: string): Promise<Channel>;
}
