"""fio in guests: a launcher that runs there by itself, followed over ssh or another transport."""
