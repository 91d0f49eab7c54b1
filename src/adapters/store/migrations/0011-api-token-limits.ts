import { DataTypes, type QueryInterface } from 'sequelize';
import { instant } from '../columns.ts';
import type { Migration } from './build.ts';

/** The default of the setting api_token_max_days when this was released. */
const maxDays = 365;

const added = {
  /** The role at creation: a later promotion of the user does not change the token. */
  api_tokens: { role: DataTypes.STRING(20) },
  users: { password_changed_at: instant },
};

/** Every API token gets an expiry and a role. */
export const apiTokenLimits: Migration = {
  name: '0011-api-token-limits',
  async up(schema) {
    for (const [table, columns] of Object.entries(added)) {
      const present = await schema.describeTable(table);
      for (const [name, type] of Object.entries(columns))
        if (!(name in present)) await schema.addColumn(table, name, { type, allowNull: true });
    }
    await fillIn(schema);
  },
};

async function fillIn({ sequelize }: QueryInterface): Promise<void> {
  await sequelize.query(
    'UPDATE api_tokens SET role = (SELECT role FROM users WHERE users.id = api_tokens.user_id) WHERE role IS NULL',
  );
  const end = new Date(Date.now() + maxDays * 86_400_000);
  await sequelize.query('UPDATE api_tokens SET expires_at = :end WHERE expires_at IS NULL OR expires_at > :end', {
    replacements: { end },
  });
}
