import { DataTypes } from 'sequelize';

/** An id column: UUIDs and import job ids. */
export const idType = DataTypes.STRING(64);
/** A timestamp with milliseconds, in UTC. */
export const instant = DataTypes.DATE(3);
