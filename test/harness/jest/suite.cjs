/** The globals of the suite that this worker runs now. */
module.exports = { globals: {} };
