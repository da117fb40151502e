/* The subcommands. Each gets the words behind its name and returns the exit status. */
#ifndef TS_SURFACES_CLI_COMMANDS_H
#define TS_SURFACES_CLI_COMMANDS_H

struct ts_question;

int ts_command_ask(const struct ts_question *question, int argc, char **argv);
int ts_command_clean_sim_trace(int argc, char **argv);
int ts_command_perf_report(int argc, char **argv);
int ts_command_noc_decode(int argc, char **argv);
int ts_command_noc_flags(int argc, char **argv);

#endif
