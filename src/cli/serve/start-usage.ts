export const USAGE = `Usage: lectern start

Starts the service with the settings of the environment (docs/configuration.md), as containers and supervisors do.
\`lectern serve\` starts the same and says where it is.`;
