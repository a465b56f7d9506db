-- Applies the files of migrations/functions in the state with this checksum (src/db/sql-functions.ts). alert_subject replaces a function.
-- functions: 50b4204026a39a6211b529f90fe01f9121cdc22bf7e281695e99fbb1b246b65c
drop function if exists delivery_subject(text, uuid, uuid, text, text);
