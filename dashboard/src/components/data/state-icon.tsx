import { Icon } from '../layout/icon.tsx';

const icons = { pending: 'pending', running: 'running', success: 'good', failed: 'bad', skipped: 'skipped' } as const;

/** The state of a step, or of one of many tenants; its name is next to it. */
export const StateIcon = ({ state }: { state: keyof typeof icons }) => <Icon name={icons[state]} />;
