export const alertEvents = [
  'incident',
  'deployment',
  'upgrade',
  'fleet',
  'backup',
  'drill',
  'certificate',
  'disk',
  'node',
  'sign_in',
  'credentials',
  'update',
  'import',
  'report',
] as const;
export type AlertEvent = (typeof alertEvents)[number];

/** The worst is the last. */
export const severities = ['info', 'warning', 'error', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** Something that people may want to know. */
export interface Alert {
  event: AlertEvent;
  severity: Severity;
  /** The same key is delivered once, for example `incident/<id>/opened`. */
  key: string;
  /** One line: what is wrong, and for whom. */
  title: string;
  /** Plain text, a few lines: cause, effect, what to do. */
  text: string;
  /** A path in the dashboard, for example `/incidents/<id>`. */
  link: string;
  tenants: readonly { id: string; slug: string; name: string; tags: readonly string[] }[];
  at: Date;
  /** What several alerts have in common: a channel gets one at once, and collects the others. It is not stored. */
  cause?: string;
  /** The user whom it is about, who alone receives it (sign-ins, credentials); absent: everyone whom the rules name. */
  userId?: string;
  /** The address that the user had until now: e-mail goes there, too. */
  formerAddress?: string;
}

/** Whether all tenants that an alert is about are among some; false for one that is about none. */
export const isOnlyAbout = ({ tenants }: Alert, isAmong: (tenantId: string) => boolean): boolean =>
  tenants.length > 0 && tenants.every(({ id }) => isAmong(id));

/** Hands alerts to the inbox and the channels that the rules name; they are stored when this resolves. */
export type Notify = (...alerts: readonly Alert[]) => Promise<void>;
