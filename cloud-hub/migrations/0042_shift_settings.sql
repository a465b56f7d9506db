-- Admins switch automatic shift logs on and off.
grant update (auto_shift_logs) on tenants to haltless_app;
